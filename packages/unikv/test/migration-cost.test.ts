import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { migrationCost } from '../src/cli/migration/migration-cost.ts'
import { readPrototype } from '../src/cli/migration/prototype.ts'

const lines = (name: string, count: number): string =>
  Array.from({ length: count }, (_, i) => `${name}(${i})`).join('\n')

/** An application of 400 lines, so many of them of one store alone. */
function prototype(name: string, own: number, configuration = 0) {
  const files = [
    { path: 'app.ts', text: lines('shared', 400 - own) },
    { path: `${name}.ts`, text: lines(name, own) },
  ]
  return {
    name,
    files:
      configuration === 0
        ? files
        : [...files, { path: 'app.xml', text: `<same/>\n${lines(name, configuration)}` }],
  }
}

test('the published tables come out of prototypes of their sizes', () => {
  // Tables 9 and 10 of the study of data-access middleware: 400 lines each.
  const moved = (name: string, own: number) =>
    migrationCost([prototype('other', own), prototype(name, own)]).migrations[0]
  expect(moved('mongodb', 120)).toMatchObject({ written: { code: 120, configuration: 0 }, share: 0.3 })
  expect(moved('cassandra', 200)).toMatchObject({ written: { code: 200, configuration: 0 }, share: 0.5 })
  expect(moved('spring-mongodb', 85)).toMatchObject({ written: { code: 85 }, share: 0.2125 })
  const [kundera] = migrationCost([prototype('a', 0, 3), prototype('b', 0, 3)]).migrations
  expect(kundera).toMatchObject({
    written: { code: 0, configuration: 3 },
    removed: { code: 0, configuration: 3 },
    share: 3 / 404,
  })
})

test('indentation, empty lines and comments do not count', () => {
  const before = '// old\n/**\n * of old\n */\nopen()\n\n# old\nset("#a") // x\n'
  const after = '#!/bin/node\n  open()\n/* new */\n-- new\n set("#a") // x\n<!-- new -->'
  const { sizes, migrations } = migrationCost([
    { name: 'a', files: [{ path: 'x', text: before }] },
    { name: 'b', files: [{ path: 'x', text: after }] },
  ])
  expect(sizes.map(({ code }) => code)).toEqual([2, 3])
  expect(migrations.map(({ written }) => written.code)).toEqual([1, 0])
})

test('a prototype is read from files and folders, each file once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-migration-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const name of ['src/data', 'src/node_modules']) await mkdir(join(folder, name), { recursive: true })
  for (const name of ['src/data/a.ts', 'src/b.ts', 'src/node_modules/c.js', '.env'])
    await writeFile(join(folder, name), `NAME=${name}`)
  const { files } = await readPrototype('x', [folder, join(folder, '.env')])
  expect(files.map(({ path }) => path.slice(folder.length + 1)).toSorted()).toEqual([
    '.env',
    'src/b.ts',
    'src/data/a.ts',
  ])
  expect(migrationCost([{ name: 'x', files }]).sizes).toEqual([{ name: 'x', code: 2, configuration: 1 }])
  await expect(readPrototype('x', [join(folder, 'none')])).rejects.toThrow('cannot be read (ENOENT)')
})
