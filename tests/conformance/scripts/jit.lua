-- SPDX-License-Identifier: GPL-3.0-or-later
-- Hot loops, which LuaJIT compiles; errors through compiled code, coroutines, call-backs from C.
local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end

local sum = 0
for i = 1, 200000 do sum = (sum * 31 + i) % 1000003 end
print(fib(20), sum)

local caught = 0
for i = 1, 2000 do
	if not pcall(function() if i % 3 == 0 then error("thrown") end end) then caught = caught + 1 end
end
print(caught)

local producer = coroutine.wrap(function() for i = 1, 1000 do coroutine.yield(i) end return 0 end)
local total = 0
for i = 1, 1000 do total = total + producer() end
print(total)

local t = {}
for i = 1, 2000 do t[i] = (i * 7919) % 2003 end
table.sort(t, function(a, b) return a > b end)
print(t[1], t[2000], (string.rep("ab", 1000):gsub("b", function() return "c" end)):sub(1, 6))
