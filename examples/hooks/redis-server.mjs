import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** Ask a server by redis-cli. Returns its answer; throws what the server says is wrong. */
export function redis(port, ...command) {
  const { stdout, stderr, status } = spawnSync('redis-cli', ['-p', String(port), ...command], {
    encoding: 'utf8',
  })
  if (status !== 0 || /^(ERR|ERROR|NOAUTH)/m.test(stdout)) throw new Error((stderr || stdout).trim())
  return stdout.trim()
}

/** Whether a server answers on this port. */
export function isUp(port) {
  try {
    return redis(port, 'PING') === 'PONG'
  } catch {
    return false
  }
}

/** Start a server in the background, if there is none yet, and wait until it answers. */
export async function start(port, ...options) {
  if (isUp(port)) return
  const dir = join(tmpdir(), `unikv-hook-redis-${port}`)
  mkdirSync(dir, { recursive: true })
  const args = ['--port', String(port), '--dir', dir, '--save', '', ...options]
  spawn('redis-server', args, { detached: true, stdio: 'ignore' }).unref()
  while (!isUp(port)) await wait(100)
}

/** Run a command on a cluster. Returns whether it took effect. */
export function cluster(...args) {
  return spawnSync('redis-cli', ['--cluster', ...args]).status === 0
}

/** Stop it, if it is there. */
export function stop(port) {
  if (isUp(port)) spawnSync('redis-cli', ['-p', String(port), 'SHUTDOWN', 'NOSAVE'])
}

/** The line that the tuner sends. */
export function request() {
  return JSON.parse(readFileSync(0, 'utf8'))
}

/** The answer, as the last line on standard output. */
export function answer(done) {
  console.log(JSON.stringify({ done }))
}
