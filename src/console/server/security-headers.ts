import helmet from '@fastify/helmet';
import type { ConsoleApp } from '../console-app.ts';

/**
 * What a browser may do with our pages: load scripts, styles and pictures from here and run nothing that stands in them,
 * send forms only here, be shown in no frame. The address of a page names a portfolio, so other sites are not told it; to
 * ourselves it is, since with `no-referrer` a browser sends `Origin: null` with forms and nobody could tell whose they are.
 */
export async function addSecurityHeaders(app: ConsoleApp, { home }: { home: URL | undefined }): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'object-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': ["'self'"],
        'img-src': ["'self'", 'data:'],
        'font-src': ["'none'"],
        'connect-src': ["'self'"],
        'form-action': ["'self'"],
        'frame-ancestors': ["'none'"],
        'base-uri': ["'none'"],
      },
    },
    referrerPolicy: { policy: 'same-origin' },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    frameguard: { action: 'deny' },
    // Under our own name alone: a header that demands https would shut localhost for every other program there.
    strictTransportSecurity: false,
  });
  const isHttps = home?.protocol === 'https:';
  app.addHook('onRequest', async ({ origin }, reply) => {
    if (isHttps && origin === home?.origin) reply.header('strict-transport-security', DEMAND_HTTPS);
    reply
      .header('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()')
      // All but the files that pages are made of is somebody's data, or tells whether there is such (assets.ts says otherwise).
      .header('cache-control', 'no-store');
  });
}

/** RFC 6797; two years, and below our name too, as OWASP ASVS 5.0, item 3.4.1 has it (a year at least). */
const DEMAND_HTTPS = 'max-age=63072000; includeSubDomains';
