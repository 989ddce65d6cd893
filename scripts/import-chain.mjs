/**
 * Prints the longest chain of value imports between source files of the workspace: how many files a reader may have to follow, and
 * which; and the rooms that import each other. Imports of types alone and `import()` do not count in a chain. `--check` prints the counts
 * alone; either way too many are a failure.
 */
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { files, root, verdict, workspaces } from './workspaces.mjs'

/** Neither may grow. When the chain falls, lower it. */
const most = { chain: 24, pairs: 0 }

const entries = entryFiles()
const sources = workspaces()
  .filter(({ folder }) => folder.startsWith('packages/'))
  .flatMap(({ folder }) => files(folder, (path) => path.startsWith(`${folder}/src/`) && path.endsWith('.ts')))
const imports = new Map(sources.map((file) => [file, importsOf(file)]))
const longest = new Map()
/** Files that import themselves by others, in a circle: the chain ends where it would come back. */
const circles = new Set()

const [chain] = sources.map((file) => chainFrom(file, [])).toSorted((a, b) => b.length - a.length)
const pairs = mutualRooms()
const isCheck = process.argv.includes('--check')
if (!isCheck) console.log(chain.join('\n'))
if (!isCheck) for (const pair of pairs) console.log(pair)
for (const circle of circles) console.error(`circle: ${circle}`)
verdict('import chain', [
  ...exceeded('files in the longest chain of value imports', chain.length, most.chain),
  ...exceeded('pairs of rooms that import each other', pairs.length, most.pairs),
])

function exceeded(what, found, limit) {
  console.log(`${what}: ${found}, at most ${limit}`)
  return found > limit ? [`${found} ${what}, at most ${limit}: node scripts/import-chain.mjs shows them`] : []
}

/** Folders directly in `src` of a package that import each other: of two rooms one lies above. Types count, too. */
function mutualRooms() {
  const arrows = new Set(
    sources.flatMap((file) => {
      const [, folder, room] = /^(.*\/src)\/([^/]+)\//.exec(file) ?? []
      if (room === undefined) return []
      const text = readFileSync(join(root, file), 'utf8')
      return Array.from(text.matchAll(/^(?:import|export)\b[^'"();]*?from '(\.[^']+)'/gm)).flatMap(
        ([, specifier]) => {
          const target = relative(root, resolve(root, dirname(file), specifier))
          const other = target.startsWith(`${folder}/`) ? target.slice(folder.length + 1).split('/') : []
          return other.length > 1 && other[0] !== room ? [`${folder} ${room} ${other[0]}`] : []
        },
      )
    }),
  )
  return [...arrows].flatMap((arrow) => {
    const [folder, one, other] = arrow.split(' ')
    return one < other && arrows.has(`${folder} ${other} ${one}`) ? [`${folder}: ${one} ↔ ${other}`] : []
  })
}

function chainFrom(file, path) {
  const known = longest.get(file)
  if (known !== undefined) return known
  if (path.includes(file)) {
    circles.add([...path.slice(path.indexOf(file)), file].join(' > '))
    return []
  }
  const next = (imports.get(file) ?? []).map((one) => chainFrom(one, [...path, file]))
  const own = [file, ...next.reduce((best, one) => (one.length > best.length ? one : best), [])]
  longest.set(file, own)
  return own
}

function importsOf(file) {
  const text = readFileSync(join(root, file), 'utf8')
  const statement = /^(?:import|export)\s+(?!type\b)(?:([^'"();]*?)\s*from\s+)?'([^']+)'/gm
  return Array.from(text.matchAll(statement))
    .filter(([, names]) => names === undefined || !namesTypesOnly(names))
    .map(([, , specifier]) =>
      specifier.startsWith('.')
        ? relative(root, resolve(root, dirname(file), specifier))
        : entries.get(specifier),
    )
    .filter((target) => target !== undefined)
}

function namesTypesOnly(names) {
  const braces = /^\{([^]*)\}$/.exec(names.trim())
  if (braces === null) return false
  return braces[1]
    .split(',')
    .filter((name) => name.trim() !== '')
    .every((name) => name.trim().startsWith('type '))
}

/** The source behind each name that a package exports. */
function entryFiles() {
  return new Map(
    workspaces().flatMap(({ folder, manifest }) =>
      Object.entries(manifest.exports ?? {}).flatMap(([name, target]) => {
        const source = target?.['@unikv/source']
        return source === undefined ? [] : [[join(manifest.name, name), join(folder, source)]]
      }),
    ),
  )
}
