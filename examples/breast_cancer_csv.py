"""Write scikit-learn's bundled breast-cancer data as a CSV file, to try `hockeystick train` on.

    python examples/breast_cancer_csv.py breast_cancer.csv
    hockeystick train breast_cancer.csv --target diagnosis --epsilon 1 --batch-size 64 \
        --schema examples/breast_cancer.toml
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from sklearn.datasets import load_breast_cancer


def main(path: Path) -> None:
    """Write the 569 records with their 30 measurements and the diagnosis."""
    data = load_breast_cancer()
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*data.feature_names, "diagnosis"])
        for row, label in zip(data.data.tolist(), data.target.tolist(), strict=True):
            writer.writerow([*row, data.target_names[label]])


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "breast_cancer.csv"))
