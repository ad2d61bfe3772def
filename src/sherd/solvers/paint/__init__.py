"""Paint as evidence: colours that go on across a joint speak for it, those that break off against it."""
