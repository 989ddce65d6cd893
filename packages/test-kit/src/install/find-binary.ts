import { accessSync, constants, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where servers live that the search path of an ordinary user leaves out. */
const systemFolders = ['/usr/sbin', '/usr/local/sbin', '/sbin']
/** Debian keeps the programs of each version of PostgreSQL in a folder of its own below this one. */
const postgresVersions = '/usr/lib/postgresql'

/** The full path of an installed program, or undefined. */
export function findBinary(name: string, searchPath: string = process.env['PATH'] ?? ''): string | undefined {
  return [...searchPath.split(delimiter), ...systemFolders, ...postgresFolders()]
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable)
}

/** The newest version first. */
function postgresFolders(): readonly string[] {
  try {
    const versions = readdirSync(postgresVersions).sort((a, b) => Number(b) - Number(a))
    return versions.map((version) => join(postgresVersions, version, 'bin'))
  } catch {
    return []
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
