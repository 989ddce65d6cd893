import { cp, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { commandsOfGuide, inProcess, root } from './command-line.ts'

const example = fileURLToPath(new URL('../../../examples/five-stores', import.meta.url))
const guide = await readFile(new URL('../../../docs/guides/bench-migration.md', import.meta.url), 'utf8')
beforeAll(() => cp(example, root, { recursive: true }))

test('the guide shows what its commands print about the example of five stores', async () => {
  const commands = (await commandsOfGuide('bench-migration')).filter((args) => args.includes('migration'))
  expect(commands).toHaveLength(3)
  for (const args of commands) {
    const { code, out, err } = await inProcess(args)
    expect([code, err]).toEqual([0, ''])
    const tables = out.split('\n\n').filter((part) => part.startsWith('|'))
    expect(tables).toHaveLength(3)
    if (args.length > 5) for (const table of tables) expect(cells(guide)).toContain(cells(table))
  }
})

/** A table without its padding. */
function cells(text: string): string {
  return text.replace(/ +\|/g, ' |').replace(/-+:?/g, '-').trim()
}

test('JSON has the exact figures', async () => {
  const { out } = await inProcess(['bench', 'migration', 'a=data.ts', 'b=data.ts,configurations', '--json'])
  const { sizes, migrations } = JSON.parse(out)
  expect(sizes.map(({ configuration }: { configuration: number }) => configuration)).toEqual([0, 25])
  expect(migrations).toMatchObject([
    { from: 'a', to: 'b', written: { code: 0, configuration: 25 } },
    { from: 'b', to: 'a', written: { code: 0, configuration: 0 }, removed: { configuration: 25 } },
  ])
})

test.each([
  [['a=data.ts'], 'at least two prototypes'],
  [['a=data.ts', 'a=server.ts'], "'a' is there twice"],
  [['a=data.ts', 'server.ts'], "'server.ts' is not a prototype. Write NAME=PATH,PATH"],
  [['a=data.ts', 'b=none.ts'], 'b: none.ts cannot be read (ENOENT)'],
  [['a=data.ts', 'b=,'], 'b: there are no files'],
  [['a=data.ts', 'b=data.ts', '--json', '--markdown'], 'not both'],
])('%j is refused', async (args, words) => {
  const { code, err } = await inProcess(['bench', 'migration', ...args])
  expect([code, err]).toEqual([2, expect.stringContaining(words)])
})
