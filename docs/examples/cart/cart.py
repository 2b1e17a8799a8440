def total(prices: list[int], discount_percent: int = 0) -> int:
    """What a customer pays, in cents, rounded down."""
    return sum(prices) * (100 + discount_percent) // 100
