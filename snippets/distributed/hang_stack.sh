# not run: needs a process that hangs, and py-spy | 需要一个卡住的进程和 py-spy
# --8<-- [start:pyspy]
pip install py-spy
# torchrun starts its ranks as `python -u train.py`
for pid in $(pgrep -f -- '-u train.py'); do
    sudo env PATH="$PATH" py-spy dump --pid "$pid"
done
# --8<-- [end:pyspy]
