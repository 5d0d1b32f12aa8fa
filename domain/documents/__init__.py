"""Documents: drafts, blocks, versions, anchors, annotations and exports, as rules and values."""
