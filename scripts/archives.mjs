import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packages, root } from './workspaces.mjs'

/**
 * Calls `use` with a folder of all published packages, packed as npm would publish them, and gives its result. `UNIKV_ARCHIVES`,
 * which `npm test` sets, names a folder that its stages share: the first one packs for all.
 */
export async function withArchives(use) {
  const shared = process.env.UNIKV_ARCHIVES
  if (shared !== undefined && existsSync(shared)) return use(shared)
  const folder = await mkdtemp(shared === undefined ? join(tmpdir(), 'unikv-archives-') : `${shared}-`)
  try {
    const names = packages().flatMap(({ manifest }) => ['--workspace', manifest.name])
    const command = ['pack', '--silent', '--pack-destination', folder, ...names]
    await promisify(execFile)('npm', command, { cwd: root, maxBuffer: 2 ** 24 })
    if (shared === undefined) return await use(folder)
    // A stage that packs at the same time may be first; its archives are the same.
    await rename(folder, shared).catch(() => {})
    return await use(shared)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The name of the package in an archive, by the name of its file. */
export const packageIn = (archive) => archive.replace(/-\d.*$/, '').replace('unikv-', '@unikv/')
