"""The documentation as a site: the pages of the checkout, and what the modules say of themselves."""
