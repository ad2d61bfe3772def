"""What is kept on the disk, and that strays are cleared up."""

from __future__ import annotations

from pathlib import Path

import pytest

from sherd.studio.store import ID, JobRow, Store, new_id


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    store = Store(tmp_path)
    rows = [JobRow(id=new_id(), name=f"job {k}", source="source/a", params={"kerf": k}) for k in range(3)]
    for row in rows:
        store.add(row)
    store.change(rows[1].id, state="queued", turn=store.next_turn(), roles={"a": "piece"}, verdict=None)
    store.change(rows[0].id, state="queued", turn=store.next_turn(), error='it\'s "odd"; DROP TABLE jobs')
    store.close()
    store = Store(tmp_path)
    assert [row.id for row in store.all()] == [row.id for row in reversed(rows)]
    assert [row.id for row in store.in_state("queued")] == [rows[1].id, rows[0].id]
    assert store.get(rows[1].id).roles == {"a": "piece"} and store.get(rows[2].id) == rows[2]
    assert store.get(rows[0].id).error == 'it\'s "odd"; DROP TABLE jobs'
    assert store.counts() == {"queued": 2, "reading": 1}
    store.close()


def test_documents_are_whole_or_not_there(tmp_path: Path) -> None:
    store = Store(tmp_path)
    row = JobRow(id=new_id(), name="a", source="s")
    store.add(row)
    store.folder_of(row.id).mkdir()
    assert store.document(row.id, "answer") is None
    store.write(row.id, "answer", {"x": 1.5})
    assert store.document(row.id, "answer") == {"x": 1.5}
    with pytest.raises(ValueError, match="not JSON compliant"):
        store.write(row.id, "answer", {"x": float("nan")})
    assert store.document(row.id, "answer") == {"x": 1.5}
    store.write(row.id, "answer", None)
    assert store.document(row.id, "answer") is None
    stray = tmp_path / "jobs" / new_id()
    stray.mkdir()
    store.remove_strays()
    assert not stray.exists() and store.folder_of(row.id).exists()
    store.remove(row.id)
    assert not store.folder_of(row.id).exists()
    with pytest.raises(KeyError):
        store.get(row.id)
    store.close()


@pytest.mark.parametrize("name", ["..", "../../etc", "", "A" * 16, "a" * 17, "a/b"])
def test_an_id_is_never_a_path(tmp_path: Path, name: str) -> None:
    store = Store(tmp_path)
    with pytest.raises(KeyError):
        store.folder_of(name)
    store.close()
    assert ID.fullmatch(new_id())
