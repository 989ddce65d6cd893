/**
 * Keeps the direction of dependencies: core imports nothing of the workspace; adapters and middleware import
 * core alone (their tests also what tests are made of); `stores` alone imports adapters; no package imports another
 * package's inside; a package imports only what its manifest declares; one version of each dependency serves all; and no
 * folder of sources has more than 20 files.
 */
import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { files, root, verdict, workspaces } from './workspaces.mjs'

const all = workspaces()
const names = new Set(all.map(({ manifest }) => manifest.name))
const entryPoints = new Set(all.flatMap(({ manifest }) => exported(manifest)))
const rootDev = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies)
const adapters = new Set(
  all.filter(({ folder }) => folder.startsWith('packages/adapters/')).map(({ manifest }) => manifest.name),
)
/** Most sources in one folder. */
const mostFiles = 20
/** The most names, types among them, that programs can import of a package by all its entries. When they fall, lower it. */
const mostNames = { '@unikv/bench': 110 }
/** Entries of adapters that hold no store. */
const notStores = new Set([
  '@unikv/http',
  ...['node', 'parts', 'unstorage', 'upstash'].map((part) => `@unikv/http/${part}`),
])
/** Programs of users, who install what they import. */
const outside = 'tests/outside/'
const testTools = ['@unikv/conformance', '@unikv/test-kit']

verdict('boundaries', [
  ...all.flatMap((workspace) => sources(workspace.folder).flatMap((file) => problemsOf(file, workspace))),
  ...differentVersions(),
  ...crowdedFolders(),
  ...crowdedEntries(),
  ...unbuilt(),
])

function problemsOf(file, { folder, manifest }) {
  const isTest = folder === 'tests' || /^(?:test|page|decode)\//.test(relative(folder, file))
  return imports(readFileSync(join(root, file), 'utf8')).flatMap((specifier) => {
    const problem = specifier.startsWith('.')
      ? leaves(specifier, file, folder)
      : (undeclared(specifier, manifest, isTest) ?? forbidden(specifier, folder, manifest, isTest))
    return problem ? [`${file}: '${specifier}' ${problem}`] : []
  })
}

function leaves(specifier, file, folder) {
  const target = relative(root, resolve(root, dirname(file), specifier))
  return `${target}/`.startsWith(`${folder}/`) ? undefined : 'leaves its package'
}

function undeclared(specifier, manifest, isTest) {
  const name = packageName(specifier)
  if (specifier.startsWith('node:') || name === manifest.name || manifest.imports?.[specifier]) return
  // webpack bundles the file of a thread only where `Worker` comes from this name (decision 0064)
  if (specifier === 'worker_threads' && manifest.name === '@unikv/sqlite') return
  if (builtinModules.includes(name)) return 'needs the prefix node:'
  const declared = [manifest.dependencies, manifest.peerDependencies, isTest && manifest.devDependencies]
  const allowed = [...declared.flatMap((group) => Object.keys(group || {})), ...(isTest ? rootDev : [])]
  return allowed.includes(name) ? undefined : 'is not declared in package.json'
}

function forbidden(specifier, folder, manifest, isTest) {
  const name = packageName(specifier)
  if (!names.has(name) || name === manifest.name) return
  if (!entryPoints.has(specifier)) return 'reaches into another package'
  if (isTest && testTools.includes(name)) return
  if (folder === 'packages/core') return 'is imported by core, which imports nothing of the workspace'
  const leaf = /^packages\/(adapters|doors|middleware)\//.test(folder)
  if (leaf && name !== '@unikv/core')
    return 'is imported by an adapter, a layer or a door, which import core alone'
  if (
    adapters.has(name) &&
    !notStores.has(specifier) &&
    !isTest &&
    folder.startsWith('packages/') &&
    folder !== 'packages/stores'
  )
    return 'is an adapter, which packages/stores alone imports'
}

/** Names that others may import of a package: its name, and its name with a subpath that it exports. */
function exported({ name, exports = {} }) {
  return [name, ...Object.keys(exports).map((path) => `${name}${path.slice(1)}`)]
}

function differentVersions() {
  const seen = new Map()
  for (const { folder, manifest } of all) {
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      seen.set(name, (seen.get(name) ?? new Map()).set(version, folder))
    }
  }
  return [...seen].flatMap(([name, versions]) =>
    versions.size > 1 && name !== 'typescript' ? [`${name}: ${[...versions].join(' and ')}`] : [],
  )
}

/** More files of sources than a reader keeps in mind are several rooms. */
function crowdedFolders() {
  const inSources = all.flatMap(({ folder }) => sources(folder)).filter((file) => /\/src\/.*\.ts$/.test(file))
  const counts = new Map()
  for (const file of inSources) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  return [...counts].flatMap(([folder, count]) =>
    count > mostFiles ? [`${folder}: has ${count} files, at most ${mostFiles}: make rooms`] : [],
  )
}

/** A package that the build leaves out is in no check of what is built. */
function unbuilt() {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'))
  const built = new Set(references.map(({ path }) => path))
  return all.flatMap(({ folder, manifest }) =>
    manifest.private || built.has(folder)
      ? []
      : [`${folder}: add it to the references of tsconfig.build.json`],
  )
}

/** Names that can be imported have to be kept. */
function crowdedEntries() {
  return Object.entries(mostNames).flatMap(([name, most]) => {
    const { folder, manifest } = all.find((one) => one.manifest.name === name)
    const entries = Object.values(manifest.exports).flatMap((entry) => entry['@unikv/source'] ?? [])
    const exportedNames = new Set(
      entries.flatMap((entry) => namesIn(readFileSync(join(root, folder, entry), 'utf8'))),
    )
    console.log(`${name} exports ${exportedNames.size} names, at most ${most}`)
    return exportedNames.size > most ? [`${name} exports ${exportedNames.size} names, at most ${most}`] : []
  })
}

function namesIn(text) {
  const declared = text.matchAll(/^export (?:async )?(?:const|class|function|interface|type) (\w+)/gm)
  const listed = text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)
  return [
    ...Array.from(declared, ([, name]) => name),
    ...Array.from(listed, ([, names]) => names.split(','))
      .flat()
      .map((name) => name.trim().split(' ').at(-1))
      .filter((name) => name !== ''),
  ]
}

function sources(folder) {
  return files(
    folder,
    (path) => /\.(ts|mts|js|mjs)$/.test(path) && !path.includes('.config.') && !path.startsWith(outside),
  )
}

/** Static imports and re-exports, at the start of a line (so that none in a comment counts), and dynamic ones. */
function imports(text) {
  const pattern =
    /^[ \t]*(?:import|export)\b(?:[^'"`;=()]*?\bfrom)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[2])
}

function packageName(specifier) {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
