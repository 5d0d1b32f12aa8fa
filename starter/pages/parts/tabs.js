// What the tabs of this browser tell each other.

/**
 * `heard` is called with what other tabs tell on the channel `name`.
 * @returns {(told: unknown) => void} tells them
 */
export function channel(name, heard) {
  try {
    const tabs = new BroadcastChannel(name);
    tabs.onmessage = ({ data }) => heard(data);
    return (told) => tabs.postMessage(told);
  } catch {
    return () => {}; // storage is switched off, which some browsers take for this, too
  }
}
