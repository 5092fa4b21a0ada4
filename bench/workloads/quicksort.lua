-- Quicksort of a fixed random sequence: what the documents ran, in Lua.
local n, seed = tonumber(arg[1]) or 2000, 7
local function random()
	seed = (seed * 1103515245 + 12345) % 2147483648
	return seed
end
local function partition(a, low, high)
	local pivot, i = a[low], low
	for k = low + 1, high do
		if a[k] <= pivot then
			i = i + 1
			a[i], a[k] = a[k], a[i]
		end
	end
	a[low], a[i] = a[i], a[low]
	return i
end
local function quicksort(a, low, high)
	if low < high then
		local at = partition(a, low, high)
		quicksort(a, low, at - 1)
		quicksort(a, at + 1, high)
	end
end
local list, texts = {}, {}
for i = 1, n do list[i] = random() end
quicksort(list, 1, n)
for i = 1, n do texts[#texts + 1] = string.format("%d", list[i]) end
table.sort(texts)
print(#table.concat(texts, ","))
