int main(int argc, char **)
{
	try {
		throw argc;
	} catch (int) {
	}
}
