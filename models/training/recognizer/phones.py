"""The recognizer's symbols: the blank and flite's 40 phones without stress, and how CMUdict's phones map to them."""

SYMBOLS = (
    "<blk> aa ae ah ao aw ax ay b ch d dh eh er ey f g hh ih iy jh k l m n ng ow oy p r s sh t th uh uw v w y z zh".split()
)
ID = {symbol: i for i, symbol in enumerate(SYMBOLS)}


def from_cmudict(pronunciation: str) -> list[str]:
    """CMUdict phones as ours: unstressed AH is the schwa `ax`; other stress is dropped."""
    return ["ax" if phone == "AH0" else phone.rstrip("012").lower() for phone in pronunciation.split()]


def from_flite(pronunciation: str) -> list[str]:
    return [phone.rstrip("012") for phone in pronunciation.split()]


def ids(phones: tuple[str, ...] | list[str]) -> list[int]:
    return [ID[phone] for phone in phones]
