import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where servers live that the search path of an ordinary user leaves out. */
const systemFolders = ['/usr/sbin', '/usr/local/sbin', '/sbin']

/** The full path of an installed program, or undefined. */
export function findBinary(name: string, searchPath: string = process.env['PATH'] ?? ''): string | undefined {
  return [...searchPath.split(delimiter), ...systemFolders]
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
