//go:build sweep

package main

const stride = 1
