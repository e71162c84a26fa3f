// Package laws holds the property tests that cross packages: a random feed goes
// through readers, evidence, contract and conforming, without any store, and
// what becomes of it must obey the laws of docs/inference.md whatever the order,
// the cut and the workers.
package laws
