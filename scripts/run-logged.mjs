import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { root } from './workspaces.mjs'

const running = new Set()

/**
 * Runs a command with its output going to a file; resolves to `{ ok, problem, seconds }`. After the limit the
 * command and all that it started are killed.
 */
export async function runLogged([command, ...args], { logFile, env = process.env, limitMinutes = 30 }) {
  const startedAt = performance.now()
  const log = openSync(logFile, 'w')
  // A process group of its own, so that all of it can be killed.
  const child = spawn(command, args, { cwd: root, env, detached: true, stdio: ['ignore', log, log] })
  closeSync(log)
  running.add(child)
  let problem
  const limit = setTimeout(() => {
    problem = `killed after ${limitMinutes} minutes`
    kill(child)
  }, limitMinutes * 60_000)
  const code = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (exitCode, signal) => resolve(exitCode ?? signal))
  })
  clearTimeout(limit)
  running.delete(child)
  if (code !== 0) problem ??= `exit code ${code}`
  return { ok: problem === undefined, problem, seconds: (performance.now() - startedAt) / 1000 }
}

/** Kills what runs; for the moment before this process ends. */
export function killRunning() {
  running.forEach(kill)
}

function kill(child) {
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended in the meantime.
  }
}
