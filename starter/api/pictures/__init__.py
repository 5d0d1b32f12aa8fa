"""Screenshots, anchors and annotations over HTTP."""
