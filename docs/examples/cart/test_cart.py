import unittest

from cart import total


class Total(unittest.TestCase):
    def test_discount_makes_it_cheaper(self) -> None:
        self.assertEqual(total([500, 300], discount_percent=25), 600)
