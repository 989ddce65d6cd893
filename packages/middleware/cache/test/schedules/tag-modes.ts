import type { CachedOptions, LoadFacts } from '../../src/index.ts'

/** How the entries of a schedule get their tags, and what voids those of some keys. */
export interface TagMode {
  readonly cache: { tags?: (key: string, value: { readonly state: number } | undefined) => readonly string[] }
  call(key: string): Pick<CachedOptions, 'tags'>
  loader(key: string): Pick<LoadFacts, 'tags'>
  /** All tags that entries of these keys may have. */
  of(keys: readonly string[]): readonly string[]
  /** Whether absence has tags, too. */
  readonly tagsAbsence: boolean
}

const none: Omit<TagMode, 'of'> = { cache: {}, call: () => ({}), loader: () => ({}), tagsAbsence: true }
const ofKey = (key: string): readonly string[] => [key, 'all']
const bothOrOne = (keys: readonly string[]): readonly string[] => (keys.length > 1 ? ['all'] : keys)
const states = ['absent', '0', '1', '2']

/** From the key, from the value, from the call, from the loader. */
export const tagModes: readonly TagMode[] = [
  { ...none, cache: { tags: ofKey }, of: bothOrOne },
  {
    ...none,
    cache: { tags: (key, value) => [`${key} ${value === undefined ? 'absent' : value.state % 3}`] },
    of: (keys) => keys.flatMap((key) => states.map((state) => `${key} ${state}`)),
  },
  { ...none, call: (key) => ({ tags: ofKey(key) }), of: bothOrOne },
  { ...none, loader: (key) => ({ tags: ofKey(key) }), of: bothOrOne, tagsAbsence: false },
]
