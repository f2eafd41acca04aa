"""Given names of agents: 200 common first names, then names made of syllables.

No name is a prefix of another (in any case), so that a name followed by more letters can't
be mistaken for a shorter one.
"""

import numpy as np

_FIRST_NAMES_TEXT = (
    "Aaron Abigail Adele Agnes Ahmed Alberto Alexei Alfred Alma Amara Amelia Andrea Angela "
    "Anika Anton Arjun Arthur Astrid Audrey Axel Beatrice Benjamin Bernard Boris Brandon "
    "Brenda Bruno Camille Carlos Caroline Cecilia Chandra Chloe Clara Claudia Conrad Cynthia "
    "Daisuke Dalia Damian Daphne David Deborah Derek Diana Diego Dolores Dominic Donald "
    "Douglas Duncan Edgar Edward Eileen Elena Elliot Elsa Emiko Enrique Erica Ernest Eugene "
    "Evelyn Farid Felix Fernando Fiona Francis Frederick Gareth Gemma Geoffrey Gerald Gilbert "
    "Giulia Gordon Graham Greta Hannah Harold Hassan Heidi Helen Henry Hilda Hiroshi Howard "
    "Ibrahim Igor Imani Ingrid Irene Isaac Ivan Jacob Jamal Jasmine Javier Jeremy Joachim "
    "Johanna Jorge Joseph Joyce Justin Karen Karim Keiko Kenneth Kevin Kwame Lakshmi Lars "
    "Leila Leonard Leroy Linda Lionel Lorenzo Lucas Luther Lydia Manuel Marcus Margaret "
    "Martin Matilda Maurice Mercedes Michael Miguel Miriam Mohammed Morgan Nadia Naomi Nathan "
    "Neil Niamh Nigel Nikolai Nora Octavia Olga Oliver Oscar Otto Owen Patrick Paula Pavel "
    "Peter Philip Phoebe Priya Quentin Rachel Ralph Raymond Rebecca Rhonda Richard Robert "
    "Roger Rosalie Rupert Ruth Sabrina Sandra Saskia Sebastian Shirley Sigrid Simon Stanley "
    "Stella Stuart Sven Sylvia Tamara Tatiana Teresa Thomas Timothy Tobias Trevor Ursula "
    "Valerie Vanessa Victor Viola Vivian Wanda Warren Wendy Winston Yasmin Yolanda Zachary "
    "Zelda "
)

FIRST_NAMES: tuple[str, ...] = tuple(_FIRST_NAMES_TEXT.split())
"""200 first names from many languages."""

_CONSONANTS = "bdfghjklmnprstvz"
_VOWELS = "aeiou"
_SYLLABLES = tuple(consonant + vowel for consonant in _CONSONANTS for vowel in _VOWELS)
_MADE_CHARS = 6
_BEGINNINGS = frozenset(name.lower()[:_MADE_CHARS] for name in FIRST_NAMES)

MAX_MADE_NAMES = len(_SYLLABLES) ** 3
"""Names of three syllables (512,000), before those that begin with a first name are left out."""


def _made_name(number: int) -> str | None:
    """Return the made name with this number, or None if it and a first name begin alike.

    All made names have six letters, so none is a proper prefix of another.
    """
    count = len(_SYLLABLES)
    rest, third = divmod(number, count)
    first, second = divmod(rest, count)
    name = _SYLLABLES[first] + _SYLLABLES[second] + _SYLLABLES[third]
    if any(name[:length] in _BEGINNINGS for length in range(1, _MADE_CHARS + 1)):
        return None
    return name.capitalize()


def draw_names(count: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Draw ``count`` different names in random order.

    Up to 200 come from ``FIRST_NAMES``; beyond, all of these and made names are mixed.
    """
    if count <= len(FIRST_NAMES):
        order = rng.permutation(len(FIRST_NAMES))[:count]
        return tuple(FIRST_NAMES[i] for i in order)
    names = list(FIRST_NAMES)
    taken: set[int] = set()
    while len(names) < count:
        number = int(rng.integers(MAX_MADE_NAMES))
        name = _made_name(number)
        if number not in taken and name is not None:
            taken.add(number)
            names.append(name)
    return tuple(names[i] for i in rng.permutation(count))
