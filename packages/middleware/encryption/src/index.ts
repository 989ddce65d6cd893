export type { RecordContext } from './envelope/associated-data.ts'
export type { RecordKind } from './envelope/kinds.ts'
export type { Padding } from './envelope/padding.ts'
export type { SealingOptions } from './envelope/sealing-options.ts'
export type { Algorithm } from './envelope/suites.ts'
export type { KeyMaterial } from './keys/key-material.ts'
export {
  type Keyring,
  type KeyringKeys,
  type KeyringOptions,
  type KeySetting,
  type KeyState,
  keyring,
} from './keys/keyring.ts'
export { type PassphraseOptions, passphraseKey } from './keys/passphrase.ts'
export {
  type AwsInput,
  type AwsKmsClient,
  type AwsKmsCommands,
  type AwsKmsOptions,
  awsKms,
} from './kms/aws-kms.ts'
export { type KmsKeys, type KmsKeysOptions, kmsKeys } from './kms/kms-keys.ts'
export type { DataKey, KmsCall, KmsContext, KmsProvider, WrappedDataKey } from './kms/kms-provider.ts'
export { type LocalKmsOptions, localKms } from './kms/local-kms.ts'
export {
  type EncryptionCapabilities,
  type EncryptionOptions,
  encryption,
  type KmsEncryptionCapabilities,
  type KmsEncryptionOptions,
} from './layer/encryption.ts'
export type { NamedCapabilities } from './names/capabilities.ts'
export { type NameKey, nameKey } from './names/name-key.ts'
export { rekey } from './names/rekey.ts'
export type { RekeyOptions, RekeyProgress, RekeyReport } from './names/rekey-options.ts'
export { type OpenOptions, open, type SealOptions, seal } from './seal.ts'
export { openStream, type StreamOpenOptions, type StreamSealOptions, sealStream } from './streams/streams.ts'
export { reencrypt } from './sweep/reencrypt.ts'
export type { ReencryptOptions, ReencryptReport } from './sweep/reencrypt-options.ts'
export type { AskSettings, KmsOpenOptions, KmsSealOptions } from './vaults/kms-seal.ts'
