import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The folder of the repository. */
export const root = resolve(import.meta.dirname, '..')

/** Every workspace that the root manifest names: `{ folder, manifest }`, the folder relative to the root. */
export function workspaces() {
  return json('package.json')
    .workspaces.flatMap((pattern) => (pattern.endsWith('/*') ? children(pattern.slice(0, -2)) : [pattern]))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => ({ folder, manifest: json(join(folder, 'package.json')) }))
}

/** The workspaces that are published. */
export const packages = () => workspaces().filter(({ manifest }) => !manifest.private)

/** Every file under a folder of the repository, relative to the root, without what tools have written. */
export function files(folder, accept, from = root) {
  return readdirSync(join(from, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return written.has(entry.name) ? [] : files(path, accept, from)
    return accept(path) ? [path] : []
  })
}

/** Print every problem and the verdict; the exit code is 1 if there is any. */
export function verdict(what, problems) {
  for (const problem of problems) console.error(problem)
  console.log(problems.length === 0 ? `${what}: ok` : `${what}: ${problems.length} problem(s)`)
  process.exitCode = problems.length === 0 ? 0 : 1
}

const written = new Set(['node_modules', 'dist', 'coverage', '.git', '.cache', 'unikv-demo'])

const json = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))

function children(folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder))
    .sort()
    .map((name) => `${folder}/${name}`)
}

/** The anchor of a heading as GitHub makes it: lower case, punctuation dropped. */
export function anchorOf(title) {
  const text = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
  return text.replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replace(/ /g, '-')
}
