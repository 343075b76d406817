// A library for SharedLibraryTest: a function, and an object.
int known_add(int a, int b) { return a + b; }
int known_object = 7;
