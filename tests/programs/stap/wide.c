__asm__(".globl wide\n.type wide, @function\nwide:\n.cfi_startproc\nvpbroadcastb %esi, %ymm17\nnop\nnop\nnop\n"
	"ret\n.cfi_endproc\n.size wide, .-wide\n");
void wide(void);
int main(void)
{
	wide();
	return 0;
}
