"""Results to text: one module a family of formats. Nothing is computed here, and nothing printed."""
