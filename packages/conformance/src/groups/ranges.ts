import assert from 'node:assert/strict'
import type { GroupEntry, GroupRange } from '@unikv/core'
import { compareKeys } from '@unikv/core/adapter'
import { everything, type GroupFixture, type GroupTopic, put } from './group-fixture.ts'

/** Keys whose order tells bytes from characters, units of UTF-16 and collations. */
const keys = [
  'B', 'a', 'aa', 'a\0', 'a\0b', 'a\u007f', 'a\u00e9', 'a\ud7ff', 'a\ue000', 'a\uffff', 'a\u{10000}', 'a\u{10ffff}',
  'b', 'b%', 'b_', 'b*', '\u0001', '\u{10ffff}', '\u{10ffff}z', '\u00e9',
] // biome-ignore format: many on a line

/** Which records a list has, and in which order. */
export const ranges: GroupTopic = {
  title: 'ranges of groups',
  cases: [
    {
      title: 'records come in the order of unsigned UTF-8 bytes',
      run: async (t) => {
        await filled(t)
        assert.deepEqual(await listed(t, everything), sorted(keys))
      },
    },
    {
      title: 'a prefix is exact, with any characters',
      run: async (t) => {
        await filled(t)
        for (const prefix of ['a', 'a\0', 'b%', 'b_', 'b*', '\u{10ffff}', 'a\ud7ff', 'none'])
          assert.deepEqual(
            await listed(t, { ...everything, prefix }),
            sorted(keys.filter((key) => key.startsWith(prefix))),
            `prefix ${JSON.stringify(prefix)}`,
          )
      },
    },
    {
      title: 'pages follow each other without gap or repetition',
      run: async (t) => {
        await filled(t)
        const found: string[] = []
        for (let after: string | undefined; ; after = found.at(-1)) {
          const page = await listed(t, { prefix: '', after, limit: 3 })
          found.push(...page)
          if (page.length < 3) break
        }
        assert.deepEqual(found, sorted(keys))
      },
    },
    {
      title: 'a page may begin after a key that is not there, or outside of the prefix',
      run: async (t) => {
        await filled(t)
        const expected = (prefix: string, after: string): string[] =>
          sorted(keys.filter((key) => key.startsWith(prefix) && compareKeys(key, after) > 0))
        for (const after of ['A', 'aZ', 'a\u{10ffff}', 'c', '\u{10ffff}zz'])
          for (const prefix of ['', 'a', 'b'])
            assert.deepEqual(await listed(t, { prefix, after, limit: 100 }), expected(prefix, after))
      },
    },
    {
      title: 'a list has no records of other groups',
      run: async (t) => {
        for (const group of ['g', 'g\0', 'g2', 'G', 'f', 'h']) await put(t, group, { [`of ${group}`]: '' })
        assert.deepEqual(await listed(t, everything), ['of g'])
      },
    },
  ],
}

async function filled(t: GroupFixture): Promise<void> {
  await put(t, 'g', Object.fromEntries(keys.map((key) => [key, `value of ${key}`])))
}

/** The keys of a list, which is the same in a transaction and outside. */
async function listed({ groups, call }: GroupFixture, range: GroupRange): Promise<readonly string[]> {
  const outside = await groups.list('g', range, call())
  const tx = await groups.begin('g', call())
  const inside = await tx.list(range)
  await tx.rollback()
  const plain = ({ key, value }: GroupEntry): readonly string[] => [key, Buffer.from(value).toString('hex')]
  assert.deepEqual(inside.map(plain), outside.map(plain))
  return outside.map(({ key }) => key)
}

function sorted(some: readonly string[]): string[] {
  return [...some].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
}
