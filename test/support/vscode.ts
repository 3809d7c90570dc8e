/** Stands for VS Code in unit tests, which run without one: it has nothing, so a test that reaches it fails. */

export {};
