"""Kill a process in the middle of writing a checkpoint, and read it."""

import os
import signal
import tempfile

import torch

AFTER = 100_000  # bytes


class Dying:
    """A file whose writer is killed when it has written so much."""

    def __init__(self, file):
        self.file = file

    def write(self, data):
        self.file.write(data)
        if self.file.tell() > AFTER:
            self.file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        return len(data)

    def flush(self):
        self.file.flush()


def write(state, file, kill):
    """What `torch.save(state, file)` does, or half of it."""
    torch.save(state, Dying(file) if kill else file)


def two_attempts(save):
    """Save step 4; die while saving step 8; read it as attempt 1 would."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.pt")
        state = {"model": torch.zeros(200, 200), "step": 4}
        save(state, path)
        worker = os.fork()
        if worker == 0:
            save(state | {"step": 8}, path, kill=True)
        os.waitpid(worker, 0)
        print("attempt 1: from step", torch.load(path)["step"])


if __name__ == "__main__" and os.environ.get("RANK", "0") == "0":
    with tempfile.NamedTemporaryFile() as whole:
        write({"model": torch.zeros(200, 200)}, whole, kill=False)
        print(f"more than {AFTER} bytes: {whole.tell() > AFTER}")
