-- Tables, strings, closures, coroutines, pattern matching, sorting and the garbage collector, with a
-- fixed random sequence: the same calls on every run of the same binary.
local size = tonumber(arg[1]) or 20000
local state = 12345

local function random(limit)
	state = (state * 1103515245 + 12345) % 2147483648
	return state // 65536 % limit + 1
end

local words = {}
for i = 1, size do
	words[i] = ("w%d"):format(random(size))
end
table.sort(words)

local count = {}
for _, word in ipairs(words) do
	count[word] = (count[word] or 0) + 1
end
local distinct, most = 0, 0
for _ in pairs(count) do distinct = distinct + 1 end
for _, n in pairs(count) do most = math.max(most, n) end

local text = table.concat(words, " ")
local digits = 0
for number in text:gmatch("w(%d+)") do
	digits = digits + #number
end

local function walk(low, high)
	return coroutine.wrap(function()
		for i = low, high do coroutine.yield(i) end
	end)
end
local sum = 0
for i in walk(1, size) do sum = sum + i end

local ok = pcall(error, { "thrown" })
print(size, distinct, most, #text, digits, sum, ok, #text:gsub("w", ""):upper())
