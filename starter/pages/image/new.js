// A new picture.
import { filled, OrderForm } from "../kinds/order_form.js";

const form = document.querySelector("[data-order]");
new OrderForm(form, {
  order: () => {
    const { prompt, size, quality, background } = form.elements;
    return { path: "images", body: { prompt: prompt.value, params: filled({ size: size.value, quality: quality?.value, background: background?.value }) } };
  },
});
