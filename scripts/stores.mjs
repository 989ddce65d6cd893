/**
 * Writes what follows from the table of stores (`packages/stores/src/table.ts`): the openers, the facts, and the packages in the
 * manifests. So a new store is one line of that table. With `--check` it only says what is not up to date.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, verdict } from './workspaces.mjs'

const folder = 'packages/stores'
const generated = '// Written by `node scripts/stores.mjs` from table.ts.\n'
const stores = storesOf(read(`${folder}/src/table.ts`))
const adapters = stores.filter(({ from }) => !from.startsWith('.')).map(({ from }) => from)

const written = {
  [`${folder}/src/openers.ts`]: openers(),
  [`${folder}/src/facts.ts`]: facts(),
  [`${folder}/package.json`]: edited(`${folder}/package.json`, (manifest) => {
    const { '@unikv/core': version, ...others } = manifest.dependencies
    const own = Object.entries(others).filter(([name]) => !name.startsWith('@unikv/'))
    const names = ['@unikv/core', ...adapters].toSorted((a, b) => a.localeCompare(b))
    const dependencies = [...names.map((name) => [name, version]), ...own]
    return { ...manifest, dependencies: Object.fromEntries(dependencies) }
  }),
  [`${folder}/tsconfig.json`]: edited(`${folder}/tsconfig.json`, (config) => ({
    ...config,
    references: ['../core', ...adapters.map((name) => `../${folderOf(name)}`)].map((path) => ({ path })),
  })),
  'tsconfig.build.json': edited('tsconfig.build.json', ({ references, ...config }) => {
    const isAdapter = ({ path }) => path.startsWith('packages/adapters/')
    const at = references.findIndex(isAdapter)
    const own = adapters.map((name) => ({ path: `packages/${folderOf(name)}` }))
    return { ...config, references: references.filter((one) => !isAdapter(one)).toSpliced(at, 0, ...own) }
  }),
}

const stale = Object.entries(written)
  .map(([path, text]) => [path, formatted(path, text)])
  .filter(([path, text]) => read(path) !== text)
if (process.argv.includes('--check'))
  verdict(
    'table of stores',
    stale.map(([path]) => `${path} is not what follows from table.ts: run node scripts/stores.mjs`),
  )
else
  for (const [path, text] of stale) {
    writeFileSync(join(root, path), text)
    console.log(path)
  }

/** Name, entry and opener of each line: `name: { …, load: async () => (await import('entry')).openName }`. */
function storesOf(table) {
  const start = table.indexOf('export const table')
  const lines = table.slice(start, table.indexOf('\n}\n', start))
  const line = /^ {2}(\w+): \{[^]*?import\('([^']+)'\)\)\.(\w+)/gm
  return Array.from(lines.matchAll(line), ([, name, entry, opener]) => ({
    name,
    opener,
    from: entry.replace(/\/url$/, ''),
  }))
}

function openers() {
  const lines = stores.map(({ name, opener, from }) => {
    const entry = from.startsWith('.') ? from : `${from}/url`
    return `export { ${opener} as ${name} } from '${entry}'\n`
  })
  return `${generated}// Every adapter, loaded; its driver is not.\n\n${lines.join('')}`
}

function facts() {
  const imports = stores.map(({ name, from }) => {
    const entry = from.startsWith('.') ? from : `${from}/facts`
    return `import { ${name}Facts } from '${entry}'\n`
  })
  const list = stores.map(({ name }) => `  ${name}Facts,\n`)
  return `${generated}import type { StoreFacts } from '@unikv/core/adapter'\n${imports.join('')}
/** Facts about every store that unikv opens. */
export const stores: readonly StoreFacts[] = [\n${list.join('')}]\n`
}

/** Sorted and formatted as every other file. */
function formatted(path, text) {
  const biome = join(root, 'node_modules/.bin/biome')
  const options = { cwd: root, input: text, encoding: 'utf8' }
  return execFileSync(biome, ['check', '--write', `--stdin-file-path=${path}`], options)
}

function edited(path, edit) {
  return JSON.stringify(edit(JSON.parse(read(path))), undefined, 2)
}

function folderOf(name) {
  return name.replace('@unikv/', 'adapters/')
}

function read(path) {
  return readFileSync(join(root, path), 'utf8')
}
