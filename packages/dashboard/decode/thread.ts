import { parentPort } from 'node:worker_threads'
import type { Task } from '../src/decode/task.ts'
import { decoded, encoded } from './steps.ts'

// The thread that decodes: bytes of strangers may take long, or all memory, and then it is ended.

parentPort?.on('message', async (task: Task) => {
  try {
    const result =
      task.type === 'decode'
        ? await decoded(task.bytes, task.steps, task.key)
        : await encoded(task.module, task.value, task.key)
    parentPort?.postMessage({ result })
  } catch (error) {
    parentPort?.postMessage({ failure: error instanceof Error ? error.message : String(error) })
  }
})

parentPort?.postMessage('ready')
