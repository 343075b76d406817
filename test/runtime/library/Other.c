// Another library for SharedLibraryTest, which nothing else loads.
int other_add(int a, int b) { return a + b; }
