"""Every rule's claim about the SDK, shown with the SDK itself."""
