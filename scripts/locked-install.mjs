import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspaces.mjs'

/** Whether node_modules holds every package at the version that package-lock.json says. */
export function isInstalled() {
  const installed = packagesOf('node_modules/.package-lock.json')
  // Optional packages are mostly the binaries of other platforms.
  return Object.entries(packagesOf('package-lock.json'))
    .filter(([path, entry]) => path.includes('node_modules/') && !entry.optional)
    .every(([path, entry]) => installed[path]?.version === entry.version && existsSync(join(root, path)))
}

function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(join(root, lockFile), 'utf8')).packages
  } catch {
    return {}
  }
}
