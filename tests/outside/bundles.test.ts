import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { type Bundled, banner, esbuild, webpack } from './bundlers.ts'
import { published } from './project.ts'
import { isWhole, node } from './run.ts'

// No driver is there: what needs one when it is imported would not be bundled, or would not load.
const bare = inject('bare')
const folder = join(bare, 'out/entries')

/** Test runners load these; no program bundles them. */
const forTests = ['@unikv/conformance', '@unikv/test-kit']

/** These extend a class of the library that they are a door to, or stand on one alone, which is not here. */
const needTheirLibrary = [
  '@unikv/express-session',
  '@unikv/monitor/opentelemetry',
  '@unikv/rate-limit/flexible',
  '@unikv/bench/workers',
]

/** Every import that a program can make, and the file of its bundle: its path without an ending. */
async function entries(): Promise<readonly (readonly [entry: string, file: string])[]> {
  const names = (await published()).filter((name) => !forTests.includes(name))
  const found = await Promise.all(names.map(entriesOf))
  const alone = found.flat().filter((entry) => !needTheirLibrary.includes(entry))
  return alone.map((entry) => [entry, join(folder, entry.replace('@', '').replaceAll('/', '-'))])
}

async function entriesOf(name: string): Promise<readonly string[]> {
  const text = await readFile(join(bare, 'node_modules', name, 'package.json'), 'utf8')
  const { exports } = JSON.parse(text) as { readonly exports: object }
  // What adapters say of themselves is in the bundle of @unikv/stores.
  const paths = Object.keys(exports).filter((path) => !['./package.json', './facts', './url'].includes(path))
  return paths.map((path) => name + path.slice(1))
}

/** Bundles each of `files`, which stand in `folder` with the ending `.entry.mjs`, by itself. */
type Bundler = (files: readonly string[]) => Promise<readonly Bundled[]>

const byEsbuild =
  (format: 'esm' | 'cjs', ending: string): Bundler =>
  (files) =>
    Promise.all(
      files.map((file) =>
        esbuild({
          entry: `${file}.entry.mjs`,
          outfile: file + ending,
          format,
          ...(format === 'esm' ? { banner } : {}),
        }),
      ),
    )

const forms: Readonly<Record<string, readonly [ending: string, Bundler]>> = {
  'esbuild, ES modules': ['.mjs', byEsbuild('esm', '.mjs')],
  'esbuild, CommonJS': ['.cjs', byEsbuild('cjs', '.cjs')],
  webpack: [
    '.cjs',
    async (files) => [
      await webpack(Object.fromEntries(files.map((file) => [basename(file), `${file}.entry.mjs`])), folder),
    ],
  ],
}

/** What each of these modules exports, when one process imports them all and ends by itself. */
async function exportsOf(modules: readonly string[]): Promise<readonly (readonly string[])[]> {
  const program = join(folder, 'exports.mjs')
  await writeFile(
    program,
    `const own = (name) => !['default', 'module.exports', '__esModule'].includes(name)
const told = []
for (const path of ${JSON.stringify(modules)}) {
  const names = await import(path)
  told.push(Object.keys({ ...names.default, ...names }).filter(own).sort())
}
console.log(JSON.stringify(told))
`,
  )
  const { output } = await node(bare, [program])
  if (!output.startsWith('[[')) throw new Error(output)
  return JSON.parse(output) as string[][]
}

/** One bundler takes every entry; the others those of `unikv`, in which all packages are, and the rest in the whole run. */
describe('every entry of every package is bundled by itself, loads without drivers, and keeps its exports', () => {
  let all: Awaited<ReturnType<typeof entries>>
  /** Bundlers may add names of their own. */
  let expected: readonly unknown[]
  beforeAll(async () => {
    await mkdir(folder, { recursive: true })
    all = await entries()
    for (const [entry, file] of all) await writeFile(`${file}.entry.mjs`, `export * from '${entry}'\n`)
    const names = await exportsOf(all.map(([entry]) => entry))
    expected = names.map((own) => expect.arrayContaining([...own]))
  })

  test.each(Object.entries(forms))('%s', async (form, [ending, bundle]) => {
    const taken = all.map(([entry]) => isWhole || form === 'esbuild, ES modules' || /^unikv\b/.test(entry))
    const files = all.flatMap(([, file], i) => (taken[i] ? [file] : []))
    expect(files).not.toEqual([])
    expect((await bundle(files)).flatMap(({ errors }) => errors)).toEqual([])
    expect(await exportsOf(files.map((file) => file + ending))).toEqual(expected.filter((_, i) => taken[i]))
  })
})
