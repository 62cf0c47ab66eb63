import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readSettings } from '../src/config.ts';
import { readReach } from '../src/console/server/reach.ts';
import { checkVersion } from '../src/redis/server-info.ts';
import { settingsSchema } from '../src/settings-schema.ts';
import { versionWords } from '../src/version.ts';
import { openBareConsole } from './support/marked-console.ts';
import { makeFolder } from './support/workplace.ts';

const SETTING_NAMES = Object.keys(settingsSchema.shape);
const ROOT = resolve(import.meta.dirname, '..');
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

describe('Dockerfile', () => {
  const instructions = DockerfileParser.parse(read('Dockerfile')).getInstructions();
  const words = (keyword: string) =>
    instructions
      .filter((instruction) => instruction.getKeyword() === keyword)
      .map((instruction) => instruction.getArgumentsContent() ?? '');

  test('has only instructions that Docker knows, and begins with FROM', () => {
    const known =
      'ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN SHELL STOPSIGNAL USER VOLUME WORKDIR';
    for (const instruction of instructions) expect(known.split(' ')).toContain(instruction.getKeyword());
    expect(instructions[0]?.getKeyword()).toBe('FROM');
  });

  test('uses the Node version that package.json asks for', () => {
    const needed = JSON.parse(read('package.json')).engines.node;
    expect(words('FROM')[0]).toContain(`node:${needed.replace('>=', '')}-`);
  });

  test('copies only existing files that .dockerignore does not exclude', () => {
    const ignored = read('.dockerignore').split('\n');
    for (const copied of words('COPY').flatMap((text) => text.split(' ').slice(0, -1))) {
      expect(existsSync(join(ROOT, copied))).toBe(true);
      expect(ignored).not.toContain(copied);
    }
  });

  // Promise: image-knows-its-commit
  test('writes the commit for --version into the image, and builds without one too', async () => {
    expect(words('ARG')).toEqual(['COMMIT']);
    const write = words('RUN').find((text) => text.endsWith('> commit.txt')) ?? 'false';
    for (const [commit, said] of [
      ['4f11aa1d4c0de4c0de4c0de4c0de4c0de4c0de42', 'commit 4f11aa1d4,'],
      ['', 'commit not known,'],
    ] as const) {
      const cwd = await makeFolder();
      execFileSync('/bin/sh', ['-euc', write], { cwd, env: { COMMIT: commit } });
      expect(versionWords(cwd)).toContain(said);
    }
  });

  test('runs as the user node and starts an existing command', () => {
    expect(words('USER')).toEqual(['node']);
    const [node, ...args] = JSON.parse(words('ENTRYPOINT')[0] ?? '');
    expect(node).toBe('node');
    // The flags with which the command starts Node, so that a container needs no shell between.
    expect(read('scripts/limitline.cjs')).toContain(`exec "$node" ${args.slice(0, -1).join(' ')} "$0" "$@"`);
    expect(args.at(-1)).toBe('/app/scripts/limitline.cjs');
    expect(statSync(join(ROOT, 'scripts/limitline.cjs')).mode & 0o111).toBe(0o111);
    const [command] = JSON.parse(words('CMD')[0] ?? '');
    expect(existsSync(join(ROOT, 'scripts/commands', `${command}.ts`))).toBe(true);
  });
});

describe('docker-compose.yml', () => {
  const serviceSchema = z.looseObject({
    image: z.string().optional(),
    build: z.string().optional(),
    command: z.array(z.string()),
    entrypoint: z.array(z.string()).optional(),
    ports: z.array(z.string()).default([]),
    network_mode: z.string().optional(),
    /** A null passes on the host's variable if it has one. */
    environment: z.record(z.string(), z.string().nullable()).default({}),
    volumes: z.array(z.string()).default([]),
    secrets: z.array(z.string()).default([]),
    healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
    depends_on: z
      .record(z.string(), z.object({ condition: z.enum(['service_started', 'service_healthy']) }))
      .default({}),
  });
  const composeSchema = z.strictObject({
    name: z.string(),
    services: z.record(z.string(), serviceSchema),
    secrets: z.record(z.string(), z.object({ file: z.string() })),
    volumes: z.record(z.string(), z.null()),
  });
  const compose = composeSchema.parse(parse(read('docker-compose.yml')));
  const services = Object.entries(compose.services);

  test.each(services)('%s refers only to what the file defines', (_name, service) => {
    expect(Boolean(service.image) !== Boolean(service.build)).toBe(true);
    for (const other of Object.keys(service.depends_on)) expect(compose.services).toHaveProperty(other);
    for (const secret of service.secrets) expect(compose.secrets).toHaveProperty(secret);
    for (const volume of service.volumes.filter((text) => !/^[./]/.test(text))) {
      expect(compose.volumes).toHaveProperty(volume.split(':')[0] ?? '');
    }
  });

  test.each(services.filter(([, service]) => service.build && !service.entrypoint))(
    '%s is a command with known settings',
    (_name, service) => {
      expect(existsSync(join(ROOT, 'scripts/commands', `${service.command[0]}.ts`))).toBe(true);
      for (const name of Object.keys(service.environment)) {
        // A secret may come from a file; one setting is itself the name of a file.
        const isSetting = (SETTING_NAMES as readonly string[]).includes(name);
        expect(SETTING_NAMES).toContain(isSetting ? name : name.replace(/_FILE$/, ''));
      }
    },
  );

  const changedBy = (file: string, name: string) =>
    z
      .looseObject({ services: z.record(z.string(), z.looseObject({ environment: serviceSchema.shape.environment })) })
      .parse(parse(read(file))).services[name]?.environment ?? {};

  // Fixed by the container: its data folder, that nobody else writes to it, and what only other containers use.
  const SETTLED = ['LIMITLINE_DATA', 'LIMITLINE_TRUST_ENV', 'REDIS_URL', 'SERVICE_CLIENT_SECRET'];
  // Promise: compose-passes-settings
  test.each<[string, Record<string, string | null>, RegExp]>([
    ['work', compose.services.work?.environment ?? {}, /^(CONSOLE|EVENTS)_/],
    [
      'nightly',
      { ...compose.services.nightly?.environment, ...changedBy('docker-compose.https.yml', 'nightly') },
      // Its notices lead to the console, and its drop folder takes files of that size.
      /^EVENTS_|^CONSOLE_(?!URL$|UPLOAD_MB$)/,
    ],
    [
      'console',
      { ...compose.services.console?.environment, ...changedBy('docker-compose.https.yml', 'console') },
      /^EVENTS_|^CONSOLE_(HOST|PORT|TLS)/,
    ],
    ['events', changedBy('docker-compose.events.yml', 'events'), /^CONSOLE_/],
  ])('%s gets each host setting that it uses', (_name, environment, ofOthers) => {
    const wanted = SETTING_NAMES.filter((name) => !SETTLED.includes(name) && !ofOthers.test(name));
    const has = (name: string) => name in environment || `${name}_FILE` in environment;
    const lacking = wanted.filter((name) => !has(name));
    expect(
      lacking,
      'name it under `environment` in docker-compose.yml, or for events in docker-compose.events.yml',
    ).toEqual([]);
  });

  // Promise: compose-redis-has-password
  test('Redis has a password, and no container has a secret in its environment', () => {
    const { redis, 'console-door': _door, ...ours } = compose.services;
    expect(redis?.command.slice(0, 2)).toEqual(['redis-server', '/run/secrets/redis_conf']);
    expect(redis?.secrets).toEqual(['redis_conf']);
    for (const { environment, secrets } of Object.values(ours)) {
      expect(environment.REDIS_URL_FILE).toBe('/run/secrets/redis_url');
      expect(secrets).toEqual(['redis_url', 'service_client_secret']);
      expect(Object.keys(environment).filter((name) => /SECRET$|PASSWORD|REDIS_URL$/.test(name))).toEqual([]);
    }
    const ignored = [read('.gitignore'), read('.dockerignore')].map((text) => text.split('\n'));
    for (const { file } of Object.values(compose.secrets)) {
      const name = file.replace(/^\.\//, '');
      for (const names of ignored)
        expect(names.includes(name) || (/_secret\.txt$/.test(name) && names.includes('*_secret.txt'))).toBe(true);
    }
  });

  test('the console keeps its loopback address, and one door reaches it from this machine only', () => {
    const { console: web, 'console-door': door } = compose.services;
    expect(Object.keys(web?.environment ?? {}).filter((name) => name.startsWith('CONSOLE_'))).toEqual([]);
    const published = services.flatMap(([name, { ports }]) => ports.map((port) => `${name} ${port}`));
    expect(published).toEqual(['console-door 127.0.0.1:3000:3001']);
    expect(web?.network_mode).toBe('service:console-door');
    expect(door?.entrypoint).toEqual(['node', '-e']);
  });

  test('a request through the door reaches the console as from its own machine', async () => {
    const { url, port } = await openBareConsole();
    const [script = ''] = compose.services['console-door']?.command ?? [];
    const text = script
      .replace('3000', port)
      .replace('.listen(3001)', '.listen(0, function () { console.log(this.address().port) })');
    const door = spawn(process.execPath, ['-e', text], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(async () => {
      door.kill('SIGTERM');
      await once(door, 'exit');
    });
    const [said] = await once(door.stdout, 'data');
    const asked = request({
      host: '127.0.0.1',
      port: Number(said),
      path: '/keys',
      headers: { host: new URL(url).host },
    }).end();
    const [answer] = await once(asked, 'response');
    expect(answer.statusCode).toBe(200);
    answer.resume();
  });

  describe('docker-compose.https.yml', () => {
    const changed = composeSchema
      .omit({ name: true, secrets: true })
      .extend({ services: z.record(z.string(), serviceSchema.partial()) })
      .parse(parse(read('docker-compose.https.yml')));
    const { console: web, 'console-door': door, proxy } = changed.services;

    test('has settings with which the console starts and requires sign-in', () => {
      const given = Object.entries(web?.environment ?? {}).flatMap(([name, value]) => {
        if (value === null) return [];
        // What compose inserts if the host has the address and no identity provider.
        const text = value.replace(/^\$\{CONSOLE_URL:\?.*\}$/, 'https://console.example.com');
        return [[name, text]];
      });
      const reach = readReach(
        readSettings({ env: { LIMITLINE_DATA: '/data', ...Object.fromEntries(given) }, cwd: '/' }),
      );
      expect(reach).toMatchObject({ host: '127.0.0.1', signIn: true });
      expect(reach.isProxy?.('127.0.0.1')).toBe(true);
    });

    test('lets only the proxy reach the console: it shares the network, and the door forwards nothing', () => {
      expect(proxy?.network_mode).toBe(compose.services.console?.network_mode);
      expect(proxy?.command?.join(' ')).toMatch(
        /^caddy reverse-proxy --from \$\{CONSOLE_URL\} --to 127\.0\.0\.1:3000$/,
      );
      expect(door?.command?.join(' ')).not.toMatch(/net|listen|connect/);
      const published = Object.entries(changed.services).flatMap(([name, { ports = [] }]) =>
        ports.map((port) => `${name} ${port}`),
      );
      expect(published).toEqual(['console-door 80:80', 'console-door 443:443']);
      expect(changed.volumes).toHaveProperty(proxy?.volumes?.[0]?.split(':')[0] ?? '');
    });
  });

  test('docker-compose.events.yml adds a listener with valid settings, for a proxy on this host only', () => {
    const { events } = composeSchema
      .omit({ name: true, volumes: true })
      .parse(parse(read('docker-compose.events.yml'))).services;
    expect(events?.command).toEqual(['events', 'listen']);
    expect(events?.ports).toEqual(['127.0.0.1:4400:4400']);
    expect(events?.healthcheck?.test.at(-1)).toContain(`127.0.0.1:${events?.environment.METRICS_PORT}/health/ready`);
    const given = {
      ...events?.environment,
      SERVICE_URL: 'https://x.example',
      SERVICE_CLIENT_ID: 'id',
      LOG_LEVEL: 'info',
    };
    const inFiles = Object.entries(given).flatMap(([name, value]) => {
      if (value === null) return [];
      if (!name.endsWith('_FILE')) return [[name, value]];
      return [[name.slice(0, -'_FILE'.length), name === 'REDIS_URL_FILE' ? 'redis://:x@redis:6379' : 'x'.repeat(24)]];
    });
    const settings = readSettings({ env: { LIMITLINE_DATA: '/data', ...Object.fromEntries(inFiles) }, cwd: '/' });
    expect(settings).toMatchObject({ EVENTS_PORT: 4_400, notices: [] });
  });

  test('the health checks ask existing addresses, and their exit status tells healthy from unhealthy', async () => {
    const asked = (name: string) => /fetch\('http:\/\/127\.0\.0\.1:(\d+)(\/[\w/]+)'/.exec(healthOf(name)) ?? [];
    const healthOf = (name: string) => compose.services[name]?.healthcheck?.test.at(-1) ?? '';
    const port = compose.services.work?.environment.METRICS_PORT;
    expect(asked('work').slice(1)).toEqual([port, '/health/ready']);
    expect(asked('console').slice(1)).toEqual(['3000', '/health/live']);
    const { url } = await openBareConsole();
    for (const [path, status] of [
      ['/keys', 0],
      ['/nothing', 1],
    ] as const) {
      const text = healthOf('console').replace('http://127.0.0.1:3000/health/live', `${url}${path}`);
      const [code] = await once(spawn(process.execPath, ['-e', text]), 'exit');
      expect(code).toBe(status);
    }
  });

  test('uses a Redis version that is new enough', () => {
    const version = compose.services.redis?.image?.match(/^redis:(\d+)/)?.[1];
    expect(() => checkVersion({ redis_version: `${version}.0.0` }, 'it')).not.toThrow();
  });

  test('starts a Redis that keeps every write, evicts nothing, and packs rows', () => {
    expect(compose.services.redis?.command.join(' ')).toBe(
      'redis-server /run/secrets/redis_conf --appendonly yes --appendfsync always --maxmemory-policy noeviction --hash-max-listpack-value 1024',
    );
  });
});
