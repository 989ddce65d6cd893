import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { againstCases, type Packages } from './against-cases.ts'
import { median, type Round } from './rounds.ts'

// One case of `against`, in a process of its own, with the packages of one clone: `<clone>\n<case>` is its argument.

const [clone, name] = (process.argv[2] ?? '').split('\n') as [string, string]
/** How long a round is; the first one warms up, so that compiled code is compared with compiled code. */
const roundMs = Number(process.env['DURATION_MS'] ?? 1_000)

const places = {
  core: ['core', '.'],
  memory: ['core', './memory'],
  cache: ['middleware/cache', '.'],
  monitor: ['middleware/monitor', '.'],
  encryption: ['middleware/encryption', '.'],
  redis: ['adapters/redis', '.'],
  postgres: ['adapters/postgres', '.'],
  lmdb: ['adapters/lmdb', '.'],
} as const

type Manifest = { readonly exports: Readonly<Record<string, { readonly default: string }>> }

/** Entries by the manifests of that clone, whose files may lie elsewhere. */
async function packagesOf(root: string): Promise<Packages> {
  const load = async ([key, [folder, entry]]: [string, readonly [string, string]]): Promise<
    [string, unknown]
  > => {
    const home = join(root, 'packages', folder)
    const { exports } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as Manifest
    return [key, await import(pathToFileURL(join(home, exports[entry]?.default ?? '')).href)]
  }
  return Object.fromEntries(await Promise.all(Object.entries(places).map(load))) as unknown as Packages
}

const make = againstCases[name]
if (make === undefined) throw new Error(`No case ${name}.`)
const { chunk, loop } = await make(await packagesOf(clone))

async function round(): Promise<Round> {
  const chunksMs: number[] = []
  const endAt = performance.now() + roundMs
  for (let before = performance.now(); before < endAt; before = performance.now()) {
    await loop()
    chunksMs.push(performance.now() - before)
  }
  const p50Us = (median(chunksMs) * 1_000) / chunk
  return { opsPerSecond: 1e6 / p50Us, p50Us }
}

process.on('message', () => {
  void round().then((measured) => process.send?.(measured))
})
process.send?.(chunk)
