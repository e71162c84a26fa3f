//go:build sweep

package land_test

// stride is the distance between the calls that the heavier sweeps strike.
const stride = 1

// checks is the number of random cases of each law, "" for rapid's own.
const checks = ""
