"""Documents: versions, corrections, anchors and their pictures, exports, regenerations."""
