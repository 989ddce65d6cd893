/**
 * Prints the longest chain of value imports between source files of the workspace: how many files a reader may have to follow, and
 * which. Imports of types alone and `import()` do not count. With a number, exits with 1 if the chain is longer.
 */
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { files, root, workspaces } from './workspaces.mjs'

const entries = entryFiles()
const sources = workspaces()
  .filter(({ folder }) => folder.startsWith('packages/'))
  .flatMap(({ folder }) => files(folder, (path) => path.startsWith(`${folder}/src/`) && path.endsWith('.ts')))
const imports = new Map(sources.map((file) => [file, importsOf(file)]))
const longest = new Map()
/** Files that import themselves by others, in a circle: the chain ends where it would come back. */
const circles = new Set()

const [chain] = sources.map((file) => chainFrom(file, [])).toSorted((a, b) => b.length - a.length)
console.log(chain.join('\n'))
for (const circle of circles) console.error(`circle: ${circle}`)
console.log(`longest chain of value imports: ${chain.length} files`)
process.exitCode = chain.length > Number(process.argv[2] ?? Number.POSITIVE_INFINITY) ? 1 : 0

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
