import fs from 'node:fs'
import { dirname } from 'node:path'

/** Make a folder and those above it, where they are missing: each is on the disk before it is built upon. */
export function makeFolder(path: string): void {
  if (fs.existsSync(path)) return
  makeFolder(dirname(path))
  try {
    fs.mkdirSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  flushFolder(dirname(path))
}

/** Bring the names in a folder to the disk: a file is there after a crash only if its name is. */
export function flushFolder(path: string): void {
  if (process.platform === 'win32') return
  const descriptor = fs.openSync(path, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}
