// Command landfall lands changing files in lake tables.
package main

func main() {}
