package enginetest

import "landfall/internal/plan"

// converted is an example of a cast of a column a.
func converted(name, table, to, want string) example {
	return computed(name, table, func(b *builder, x, _ plan.Expr) plan.Expr {
		return plan.Convert{From: x, To: b.typ(to)}
	}, want)
}

// conversionExamples are of Spark's lenient cast.
func conversionExamples() []example {
	return append(momentExamples(), []example{
		converted("text to int", `a string
			42
			+5
			42.7
			1e3
			1_000
			0x1F
			x
			3000000000
			null`, "int", `v int
			42
			5
			null
			null
			null
			null
			null
			null
			null`),
		converted("text to double", `a string
			1.5
			-.5e2
			5d
			inf
			-Infinity
			NaN
			1,5
			0x1F`, "double", `v double
			1.5
			-50
			5
			Infinity
			-Infinity
			NaN
			null
			null`),
		converted("text to decimal is rounded", `a string
			12.345
			-12.345
			1e1
			99999999999
			1_0
			1,5`, "decimal(10,2)", `v decimal(10,2)
			12.35
			-12.35
			10.00
			null
			null
			null`),
		converted("text to boolean", `a string
			true
			Y
			1
			no
			F
			on
			2`, "boolean", `v boolean
			true
			true
			true
			false
			false
			null
			null`),
		converted("double to int is cut", `a double
			2.7
			-2.7
			3e9
			NaN`, "int", `v int
			2
			-2
			null
			null`),
		converted("decimal to int is cut", `a decimal(20,2)
			2.99
			-2.99
			3000000000`, "int", `v int
			2
			-2
			null`),
		converted("int to tinyint", `a int
			127
			300`, "tinyint", `v tinyint
			127
			null`),
		converted("decimal to a shorter one", `a decimal(10,3)
			1.005
			-1.005
			1000`, "decimal(4,2)", `v decimal(4,2)
			1.01
			-1.01
			null`),
		converted("double to decimal goes by its digits", `a double
			1.005
			2.675
			1e20
			NaN`, "decimal(10,2)", `v decimal(10,2)
			1.01
			2.68
			null
			null`),
		converted("double to text is as in Java", `a double
			1
			0.1
			10000000
			1234567.5
			0.0001
			-1.5e-7
			NaN
			-Infinity`, "string", `v string
			1.0
			0.1
			1.0E7
			1234567.5
			1.0E-4
			-1.5E-7
			NaN
			-Infinity`),
		converted("float to text has a float's digits", `a float
			0.1
			16777216`, "string", `v string
			0.1
			1.6777216E7`),
		converted("decimal to text keeps all digits", `a decimal(10,2)
			1.5
			-0.05`, "string", `v string
			1.50
			-0.05`),
		converted("boolean to number and text", `a boolean
			true
			false`, "int", `v int
			1
			0`),
		converted("number to boolean", `a decimal(5,2)
			0.00
			0.01`, "boolean", `v boolean
			false
			true`),
		converted("array to text", `a array<double>
			[1,null,2.5]
			null`, "string", `v string
			[1.0, null, 2.5]
			null`),
		converted("array by its items", `a array<string>
			["1","x",null]
			null`, "array<int>", `v array<int>
			[1,null,null]
			null`),
		converted("struct by its fields", `a struct<x:string,y:int>
			{"x":"7","y":1}
			null`, "struct<y:string,x:int,z:date>", `v struct<y:string,x:int,z:date>
			{"y":"1","x":7,"z":null}
			null`),
		converted("map by its values", `a map<string,string>
			{"k":"7","l":"?"}`, "map<string,int>", `v map<string,int>
			{"k":7,"l":null}`),
	}...)
}

// momentExamples are of dates and timestamps.
func momentExamples() []example {
	return []example{
		converted("text to date", `a string
			2026-02-28
			2026-1-2
			2026-02-30
			2026-01-02 03:04:05
			2026-01-02T10
			20260102
			2026-05
			2026`, "date", `v date
			2026-02-28
			2026-01-02
			null
			2026-01-02
			2026-01-02
			null
			2026-05-01
			2026-01-01`),
		converted("text to timestamp", `a string
			2026-01-02 03:04:05.123456789
			2026-01-02T03:04:05+02:00
			2026-01-02 03:04
			2026-01-02 24:00:00
			2026-01-02
			2026-01-02 03:04:05 Europe/Oslo
			noon`, "timestamp", `v timestamp
			2026-01-02T03:04:05.123456Z
			2026-01-02T01:04:05Z
			2026-01-02T03:04:00Z
			null
			2026-01-02T00:00:00Z
			2026-01-02T02:04:05Z
			null`),
		converted("timestamp to text", `a timestamp
			2026-01-02 03:04:05.120
			2026-01-02 03:04:05`, "string", `v string
			2026-01-02 03:04:05.12
			2026-01-02 03:04:05`),
		converted("timestamp to seconds", `a timestamp
			1970-01-01 00:00:01.9
			1969-12-31 23:59:58.5`, "bigint", `v bigint
			1
			-2`),
		converted("seconds to timestamp", `a bigint
			86400
			-1`, "timestamp", `v timestamp
			1970-01-02T00:00:00Z
			1969-12-31T23:59:59Z`),
		converted("timestamp to date", `a timestamp
			2026-01-02 23:59:59.999999`, "date", `v date
			2026-01-02`),
		converted("date to timestamp", `a date
			2026-01-02`, "timestamp", `v timestamp
			2026-01-02T00:00:00Z`),
	}
}
