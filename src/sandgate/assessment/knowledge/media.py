"""Pictures, sound, films, documents: most programs read some files and write the one named last."""

from __future__ import annotations

from sandgate.assessment.findings import LOW, MEDIUM, NETWORK
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.knowledge.listed import acting, looking

ENTRIES: tuple[Entry, ...] = (
    *looking("Reads media files", """
        ffprobe, mediainfo, identify, magick identify, gm identify, exiv2 print, exiv2 pr, soxi, mkvinfo,
        mp4info, mp4dump, webpinfo, pngcheck, jpeginfo, vipsheader, pdfinfo, pdffonts, pdfsig, pdftotext, mutool
        info, mutool show, antiword, catdoc, xls2csv, catppt, docx2txt, odt2txt, unrtf, html2text, fc-scan,
        otfinfo, djvudump, djvutxt, epubcheck, timg, viu, chafa, catimg, jp2a, img2txt, aview, zbarimg, pngtopnm,
        ogginfo, id3info, mp3info, mp3val, midicsv, gdalinfo, ogrinfo, ncdump, h5dump, h5ls, fitsheader, dcmdump
        """, operands="read", clusters=False, values="-v -loglevel -show_entries -of -print_format -select_streams "
        "-format -f -l"),
    Entry("exiftool", LOW, "Reads media files", ("exiftool a.jpg", "exiftool -overwrite_original a.jpg => medium"),
            kind="reads",
          operands="read", clusters=False, values="-d -if -p -i -ext -o",
          worse=(Worse("-overwrite_original -overwrite_original_in_place -delete_original -restore_original -w -o "
                  "-tagsFromFile "
                       "-TagsFromFile -execute -geotag", MEDIUM, "Changes media files"),)),
    *acting("Converts media files", """
        ffmpeg, avconv, convert, magick, magick convert, gm convert, gm, composite, montage, rsvg-convert, sox,
        flac, opusenc, opusdec, oggenc, oggdec, mpg123, timidity, fluidsynth, dwebp, cwebp, gif2webp, img2webp,
        avifenc, avifdec, heif-convert, cjxl, djxl, cjpeg, djpeg, jpegtran, pngcrush, pngquant, potrace,
        autotrace, vips, gdal_translate, gdalwarp, ogr2ogr, dcraw, inkscape, cairosvg, svgexport, icotool,
        wrestool, png2icns, iconutil, x264, x265, mencoder, MP4Box, mp4box, mkvextract, mkvpropedit,
        HandBrakeCLI, ffmpeg2theora, gifski, apngasm, img2pdf, pdfunite, pdfseparate, pdftoppm, pdftocairo,
        pdfimages, pdfdetach, pdftohtml, pdftops, ps2pdf, ps2ascii, pdf2ps, pdfcrop, pdftk, qpdf, mutool, djvups,
        ddjvu, ebook-convert, wkhtmltopdf, wkhtmltoimage, weasyprint, tesseract, ocrmypdf, unpaper, lame, faac,
        faad, rubberband, aubio, dvisvgm, dvips, dvipdfm, dvipdfmx, html2ps, txt2man, text2pdf, paps, pdfjam,
        pdfbook, pdfnup, sips, textutil, afconvert, qlmanage, tiffcp, tiff2pdf, bmptopnm, pnmtopng, ppmtogif,
        cwebp_batch, primitive, realesrgan-ncnn-vulkan, waifu2x, rembg, blender, openscad, freecadcmd,
        meshlabserver, assimp
        """, level=MEDIUM, kind="writes", operands="copy", clusters=False, writes="-o --output --export-filename "
        "--export-png -outfile --out -out",
            values="-i -c -f -r -s -t -ss -to -b:v -b:a -c:v -c:a -vf -af -crf -preset -map -filter_complex -q:v "
                    "-resize -quality -crop -density -w -h --width --height -vcodec -acodec -pix_fmt -loglevel "
                    "-framerate -frames:v -dpi"),
    *acting("Changes pictures in place", """
        mogrify, magick mogrify, gm mogrify, optipng, jpegoptim, advpng, advdef, zopflipng, pngout, exiv2, jhead,
        exifautotran, gifsicle, id3v2, eyeD3, vorbiscomment, metaflac, mid3v2, mp3gain, normalize-audio,
        kid3-cli, svgcleaner, scour, trimage, image_optim, ect, oxipng, svgo, imagemin, opustags
        """, level=MEDIUM, kind="writes", operands="write", clusters=False, writes="-o --output -d --dir -path",
            values="-resize -quality -format -crop -density -m --max -S -type -colors -background -gravity -extent"),
    *acting("Makes a document", """
        pandoc, asciidoctor, asciidoc, a2x, rst2html, rst2html5, rst2pdf, markdown, multimarkdown, cmark, mdbook
        build, pdflatex, xelatex, lualatex, latex, tex, pdftex, context, latexmk, tectonic, typst, bibtex, biber,
        makeindex, texi2pdf, texi2any, makeinfo, groff, nroff, troff, help2man, man2html, mandoc, dot, neato,
        fdp, sfdp, twopi, circo, plantuml, mmdc, d2, ditaa, seqdiag, blockdiag, gnuplot, xsltproc, fop, saxon,
        xmlto, doxygen, libreoffice, soffice, unoconv, abiword, gnumeric ssconvert, ssconvert, in2csv, csvformat,
        prince, marp, slidev, reveal-md, lilypond, abcm2ps, qrencode, barcode, dblatex, vega-lite, vl2png, ctags,
        etags, cscope, gtags, graph-easy, mscgen, texcount, chktex, lacheck, latexindent, detex, untex, pdfgrep
        """, level=MEDIUM, kind="writes", operands="read", clusters=False, values="-t -f -T -r -w -e --to --from -K",
            writes="-o --output --outdir -d --out -output-directory --output-directory -out"),
    *acting("Plays media", """
        ffplay, mpv, vlc, cvlc, mplayer, aplay, paplay, afplay, play, omxplayer, feh, eog, display, cmus, mocp,
        mpc, sxiv, imv, evince, zathura, okular, xpdf
        """, level=MEDIUM, kind="runs"),
    *acting("Fetches media", "yt-dlp, youtube-dl, streamlink, gallery-dl, you-get, annie, lux, spotdl, svtplay-dl",
            NETWORK, level=MEDIUM, kind="contacts", writes="-o -P --output --paths", values="-f"),
)  # fmt: skip
