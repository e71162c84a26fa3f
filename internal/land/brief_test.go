//go:build !sweep && !race

package land_test

// stride is the distance between the calls that the heavier sweeps strike; under
// the build tag sweep they strike each.
const stride = 17

// checks is the number of random cases of each law, "" for rapid's own.
const checks = ""
