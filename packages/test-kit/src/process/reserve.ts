import { readFileSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Whether no living process had this name in the folder: then this process has it until it ends or releases it. Processes of
 * one machine that ask for the same name at once never both have it.
 */
export async function reserve(folder: string, name: string): Promise<boolean> {
  const file = join(folder, name)
  await mkdir(folder, { recursive: true })
  if (await take(file)) return true
  return (await removeOfDead(file)) && (await take(file))
}

/** Gives back what `reserve` gave to this process. */
export async function release(folder: string, name: string): Promise<void> {
  await rm(join(folder, name), { force: true })
}

async function take(file: string): Promise<boolean> {
  try {
    await writeFile(file, ownerOf(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

/**
 * Whether the file was that of a dead process, and is gone. One process at a time may remove it: a second one would remove the
 * file of a process that has taken the name since its look.
 */
async function removeOfDead(file: string): Promise<boolean> {
  if (await isOfLiving(file)) return false
  const lock = `${file}.lock`
  if (!(await take(lock))) return false
  try {
    if (await isOfLiving(file)) return false
    await rm(file, { force: true })
    return true
  } finally {
    await rm(lock, { force: true })
  }
}

async function isOfLiving(file: string): Promise<boolean> {
  return isAlive(await readFile(file, 'utf8').catch(() => ''))
}

/** A file without a number is that of a process which is just writing it. */
function isAlive(owner: string): boolean {
  return owner === '' || ownerOf(Number.parseInt(owner, 10)) === owner
}

/** The number of a process and when it began: numbers are given again, and every container begins with 1. */
function ownerOf(pid: number): string {
  if (process.platform !== 'linux') return isRunning(pid) ? String(pid) : `${pid} has ended`
  try {
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? ''
    return `${pid} ${afterName.split(' ')[19]}`
  } catch {
    return `${pid} has ended`
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
