"""Job files, the components that they and scripts describe, and what an upload leaves out."""
