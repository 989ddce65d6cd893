import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { FileLook, FileSystem } from './file-system.ts'

const open = promisify(fs.open)
const flush = promisify(fs.fsync)
const close = promisify(fs.close)

/** `node:fs` with promises: the event loop goes on while the disk works. */
export const nodeFileSystem: FileSystem = {
  blocks: false,
  open: (path, flags) => open(path, flags),
  read: (descriptor, buffer, position) =>
    new Promise((resolve, reject) => {
      fs.read(descriptor, buffer, 0, buffer.length, position, (error, count) =>
        error === null ? resolve(count) : reject(error),
      )
    }),
  write: (descriptor, bytes) =>
    new Promise((resolve, reject) => {
      fs.write(descriptor, bytes, (error, count) => (error === null ? resolve(count) : reject(error)))
    }),
  size: async (descriptor) => (await promisify(fs.fstat)(descriptor)).size,
  flush: (descriptor) => flush(descriptor),
  close: (descriptor) => close(descriptor),
  look: async (path) => lookOf(await fs.promises.lstat(path, { bigint: true })),
  list: (folder) => fs.promises.readdir(folder),
  makeFolder: (path) => fs.promises.mkdir(path).then(() => {}),
  removeFolder: (path) => fs.promises.rmdir(path),
  link: (path, name) => fs.promises.link(path, name),
  rename: (path, name) => fs.promises.rename(path, name),
  remove: (path) => fs.promises.unlink(path),
  pause: (ms) => sleep(ms),
}

/** `node:fs` without promises: every call answers at once, and the event loop waits for the disk. */
export const syncFileSystem: FileSystem = {
  blocks: true,
  open: (path, flags) => fs.openSync(path, flags),
  read: (descriptor, buffer, position) => fs.readSync(descriptor, buffer, 0, buffer.length, position),
  write: (descriptor, bytes) => fs.writeSync(descriptor, bytes),
  size: (descriptor) => fs.fstatSync(descriptor).size,
  flush: (descriptor) => fs.fsyncSync(descriptor),
  close: (descriptor) => fs.closeSync(descriptor),
  look: (path) => lookOf(fs.lstatSync(path, { bigint: true })),
  list: (folder) => fs.readdirSync(folder),
  makeFolder: (path) => fs.mkdirSync(path),
  removeFolder: (path) => fs.rmdirSync(path),
  link: (path, name) => fs.linkSync(path, name),
  rename: (path, name) => fs.renameSync(path, name),
  remove: (path) => fs.unlinkSync(path),
  pause: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
}

function lookOf(stats: fs.BigIntStats): FileLook {
  return {
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
    modifiedNs: stats.mtimeNs,
    changedAt: Number(stats.ctimeMs),
  }
}
